for item in range(3):
    print(item)
return item  # expect: ruff:F706
