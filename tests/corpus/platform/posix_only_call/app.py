import os
import pwd  # expect: posix-only-call
import signal
import sys

try:
    import fcntl  # expect: posix-only-call DISMISSED
except ImportError:
    fcntl = None


def stop(pid):
    os.kill(pid, signal.SIGKILL)  # expect: posix-only-call


def reload(pid):
    if hasattr(signal, "SIGHUP"):
        os.kill(pid, signal.SIGHUP)  # expect: posix-only-call DISMISSED


def detach():
    if sys.platform == "win32":
        return
    os.setsid()  # expect: posix-only-call DISMISSED


def user():
    return _uid() if os.name == "posix" else 0


def _uid():
    return os.getuid()  # expect: posix-only-call DISMISSED


def home():
    return pwd.getpwnam("me").pw_dir


def stop_right(process):
    process.kill()
