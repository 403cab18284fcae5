"""What the person at the terminal gives: part of a shell command it breaks the command, as a list it cannot."""

import argparse
import os
import pickle
import subprocess


class Converter:
    def __init__(self, target):
        self.target = target

    def shrink(self, picture):
        if not os.path.isfile(picture):
            raise ValueError(picture)
        subprocess.run(f"convert {picture} -resize 50% {self.target}/small.png", shell=True)  # expect: command-injection

    def rotate(self, picture):
        subprocess.run(["convert", picture, "-rotate", "90", f"{self.target}/rotated.png"])

    def level(self, level):
        subprocess.run(f"gzip -{level} all.tar", shell=True)

    def chosen(self, command, picture):
        subprocess.run(f"nice {command}", shell=True)  # expect: command-injection UNCERTAIN


def load(path):
    with open(path, "rb") as stream:
        return pickle.load(stream)  # expect: unsafe-deserialization


def load_cache():
    with open("cache.pickle", "rb") as stream:
        return pickle.load(stream)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("picture")
    parser.add_argument("--target-dir", default="out")
    parser.add_argument("--level", type=int, default=9)
    parser.add_argument("--command")
    args = parser.parse_args()
    converter = Converter(args.target_dir)
    converter.shrink(args.picture)
    converter.rotate(args.picture)
    converter.level(args.level)
    converter.chosen(args.command, args.picture)
    load(args.picture)
    load_cache()


if __name__ == "__main__":
    while True:
        name = input("archive: ")
        if not name:
            break
        os.system("tar tf '" + name + "'")  # expect: command-injection
    main()
