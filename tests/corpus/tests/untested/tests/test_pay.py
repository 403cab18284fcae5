import pytest

from shop.pay import Refused, close


def test_close(account):
    with pytest.raises(Refused):
        close(account)


def test_message(account):
    with pytest.raises(Exception, match="the amount is not positive at all"):
        account.act(0)
