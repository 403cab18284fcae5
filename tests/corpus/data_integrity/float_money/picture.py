def blur_picture(pixels, kernel):
    amount = float(kernel)  # expect: float-money DISMISSED
    return [pixel * amount for pixel in pixels]
