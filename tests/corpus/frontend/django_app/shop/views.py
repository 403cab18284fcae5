from django.shortcuts import render


def orders(request):
    return render(request, "shop/orders.html", {"note": request.GET.get("note"), "count": len([])})


def order(request, number):
    return render(request, "shop/order_page.html", {"number": number})  # expect: template-missing
