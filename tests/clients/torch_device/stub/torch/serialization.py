packages = []


def register_package(priority, tag, restore):
    packages.append((priority, tag, restore))


def save(thing, file):
    raise NotImplementedError("the stub of torch has no save")
