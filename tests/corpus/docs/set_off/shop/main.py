import argparse


def main():
    parser = argparse.ArgumentParser("shop")
    parser.add_argument("--port", type=int, help="where to listen")
    parser.parse_args()
