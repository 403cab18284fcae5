DEBUG = True  # expect: debug-on UNCERTAIN
INSTALLED_APPS = ["django.contrib.admin"]
