DEBUG = True  # expect: debug-on
INSTALLED_APPS = ["django.contrib.admin"]
