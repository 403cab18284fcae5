def row_of(person):
    row = {"address": person.street, "city": person.town}
    return row


def label(person):
    row = {"address": person.street, "city": person.town}
    return row["adress"]  # expect: key-never-written


def missing(config):
    return config.get("cities")  # expect: key-never-written DISMISSED


def port(settings):
    table = settings.load()
    return table["host_name"], table["hostname"]


def elsewhere(reply):
    return reply["addresss"]  # expect: key-never-written UNCERTAIN


def write(reply):
    reply["citiez"] = 1
