import argparse
import os


def main():
    parser = argparse.ArgumentParser("shop")
    parser.add_argument("--simulate", help="change nothing")
    parser.add_argument("--verbose", help="say more")
    parser.add_argument("--config", help="where the settings are")
    parser.add_argument("--retries", help="how often")  # expect: option-undocumented
    parser.add_argument("--debug-wire", help=argparse.SUPPRESS)
    options = parser.parse_args()
    return options, os.environ["SHOP_TIMEOUT_S"], os.environ.get("SHOP_HOME"), os.getenv("SHOP_CACHE")  # expect: env-var-undocumented


def child():
    os.environ["SHOP_CHILD"] = "1"
    return os.environ.get("SHOP_CHILD")  # expect: env-var-undocumented DISMISSED
