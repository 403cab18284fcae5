from decimal import Decimal

from django.db import models


class Order(models.Model):
    customer = models.TextField()
    price = models.FloatField()  # expect: float-money
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    weight = models.FloatField()


def settled(order, paid):
    if order.price == paid * 1.19:  # expect: float-money
        return True
    return order.amount == Decimal("1.19") * paid


def with_tax(order):
    price = order.price * 1.19  # expect: float-money UNCERTAIN
    return price


def exact(text):
    price = Decimal(text)
    return price * 2
