MIDDLEWARE = ["django.middleware.csrf.CsrfViewMiddleware"]
