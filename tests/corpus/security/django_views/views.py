import os

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.html import escape
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.views import View


def hello(request):
    return HttpResponse("<p>" + request.GET["name"])  # expect: cross-site-scripting


def hello_escaped(request):
    return HttpResponse("<p>" + escape(request.GET["name"]))


def go(request):
    return HttpResponseRedirect(request.POST.get("next", "/"))  # expect: open-redirect


def go_checked(request):
    target = request.GET.get("next", "/")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = "/"
    return HttpResponseRedirect(target)  # expect: open-redirect DISMISSED


class Clean(View):
    def post(self, request):
        os.remove("/srv/uploads/" + request.POST["name"])  # expect: path-traversal
        return mark_safe(self.request.POST["name"])  # expect: cross-site-scripting
