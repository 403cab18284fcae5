class Student:
    @staticmethod
    async def create(connection, name):
        statement = "INSERT INTO students (name) VALUES ('%(name)s')" % {"name": name}
        async with connection.cursor() as cursor:
            await cursor.execute(statement)  # expect: sql-injection

    @staticmethod
    async def create_well(connection, name):
        async with connection.cursor() as cursor:
            await cursor.execute("INSERT INTO students (name) VALUES (%s)", (name,))
