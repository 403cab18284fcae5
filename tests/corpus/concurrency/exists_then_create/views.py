import threading

from django.db import IntegrityError
from django.http import HttpResponse

from models import Account

LOCK = threading.Lock()


def register(request):
    if Account.objects.filter(name=request.POST["name"]).exists():
        return HttpResponse("taken", status=409)
    Account.objects.create(name=request.POST["name"])  # expect: exists-then-create
    return HttpResponse("ok")


def register_local(request):
    found = Account.objects.filter(name=request.POST["name"]).first()
    if found is not None:
        raise ValueError("taken")
    Account.objects.create(name=request.POST["name"])  # expect: exists-then-create
    return HttpResponse("ok")


def register_caught(request):
    if Account.objects.filter(name=request.POST["name"]).exists():
        return HttpResponse("taken", status=409)
    try:
        Account.objects.create(name=request.POST["name"])  # expect: exists-then-create DISMISSED
    except IntegrityError:
        return HttpResponse("taken", status=409)
    return HttpResponse("ok")


def register_locked(request):
    with LOCK:
        if Account.objects.filter(name=request.POST["name"]).exists():
            return HttpResponse("taken", status=409)
        Account.objects.create(name=request.POST["name"])  # expect: exists-then-create DISMISSED
    return HttpResponse("ok")


def register_in_one(request):
    Account.objects.get_or_create(name=request.POST["name"])
    return HttpResponse("ok")


def fill(names):
    for name in names:
        if not Account.objects.filter(name=name).exists():
            Account.objects.create(name=name)  # expect: exists-then-create UNCERTAIN
