"""The WSGI application, for any server: `gunicorn wsgi:app` and the like."""

from storeapi.serving import application

app = application()
