from django.urls import path

from shop import views

urlpatterns = [
    path("orders/", views.orders, name="orders"),
    path("orders/<int:number>/", views.order, name="order"),
]
