import logging

from somewhere import shout as log2

log = logging.getLogger(__name__)
MESSAGE = "%s has %d items"


def report(path, error, name):
    log.error("cannot read %s: %s", path)  # expect: format-arguments
    logging.info("done", path)  # expect: format-arguments
    print(MESSAGE % (name,))  # expect: format-arguments
    log.error("cannot read %s: %s", path, error)
    log.error("100%% of %s", path)
    log.info("%(path)s", {"path": path})
    print(MESSAGE % (name, 3))
    print("%*d %s" % (3, 4, name))


def other(logger, path):
    logger.error("cannot read %s: %s", path)  # expect: format-arguments UNCERTAIN
