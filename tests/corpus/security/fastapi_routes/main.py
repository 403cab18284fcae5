import os

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse

app = FastAPI()


def current_user():
    return "root"


@app.get("/run/{name}")
async def run(name: str, user: str = Depends(current_user)):
    os.system("ls " + name)  # expect: command-injection
    os.system("ls " + user)
    return {"ok": True}


@app.get("/item/{number}")
async def item(number: int):
    os.system(f"ls {number}")  # expect: command-injection DISMISSED
    return {"number": number}


@app.get("/page")
async def page(request: Request):
    return HTMLResponse("<p>" + request.query_params["name"])  # expect: cross-site-scripting


@app.get("/go")
async def go(target: str):
    return RedirectResponse(target)  # expect: open-redirect
