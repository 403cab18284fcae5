from fastapi import APIRouter, FastAPI

app = FastAPI()
router = APIRouter(prefix="/items")


@router.get("/{item}")
def read(item: int):
    return item


@router.put("/{item}")
def write(item: int):
    return item


@app.post("/login")
async def login():
    return 1


app.include_router(router, prefix="/api")
