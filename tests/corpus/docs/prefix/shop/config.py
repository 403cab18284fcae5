import os


def settings():
    return {k: v for k, v in os.environ.items() if k.startswith("SHOP_")}
