from shop.orders import Order, cancel

__version__ = "2.0.0"  # expect: version-differs
