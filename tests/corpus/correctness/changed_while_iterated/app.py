def expire():
    cache = {}
    for key in cache:
        del cache[key]  # expect: changed-while-iterated


def prune(rows: list):
    for row in rows:
        rows.remove(row)  # expect: changed-while-iterated


def drop_views(table):
    for key, value in table.items():
        print(value)
        table.pop(key)  # expect: changed-while-iterated


def one_only(rows: list, wanted):
    for row in rows:
        if row == wanted:
            rows.remove(row)  # expect: changed-while-iterated DISMISSED
            break


def entered_anew(wanted, rows: list):
    for name in wanted:
        for row in rows:
            if row == name:
                rows.remove(row)  # expect: changed-while-iterated DISMISSED
                break


def work_list():
    todo = ["a"]
    for item in todo:
        todo.append(item + "a")  # expect: changed-while-iterated UNCERTAIN


def unknown(rows):
    for row in rows:
        rows.remove(row)  # expect: changed-while-iterated UNCERTAIN


def copied(cache: dict):
    for key in list(cache):
        del cache[key]


def replaced(cache: dict):
    for key in cache:
        cache[key] = None


def matched(wanted, rows: list):
    for one in wanted:
        for row in rows:
            if one == row:
                rows.remove(row)  # expect: changed-while-iterated DISMISSED
                break
        else:
            return False
    return True


def matched_twice(wanted, rows: list):
    for one in wanted:
        for row in rows:
            print(one)
            rows.remove(row)  # expect: changed-while-iterated
