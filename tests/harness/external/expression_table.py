"""Writes expression_table.tsv: random expressions of a manifest and what Python's own eval makes of them.

    /usr/bin/python3 -B tests/harness/external/expression_table.py > tests/harness/external/expression_table.tsv

The expressions are of the subset that both languages share, with Python's own choice of parentheses (ast.unparse) or with all of
them. An integer that leaves 64 bits anywhere is an overflow. `and` and `or` give true or false in a manifest, one of their operands
in Python: only their truth is compared. Truth and numbers do not mix in a manifest, so they are not mixed here.
"""
import ast
import random

NAMES = {"a": 7, "b": -3, "zero": 0, "big": 2**63 - 1, "low": -(2**63), "page_size": 16, "half": 0.5, "kv": "fp8",
         "causal": True, "r.n": 129}
INTEGERS = [name for name, value in NAMES.items() if type(value) is int]
LIMITS = [2**63 - 1, -(2**63), 2**62, 2**32, 2**31 - 1, 3037000500]


class Overflow(Exception):
    pass


class Domain(Exception):
    pass


class Whole(int):
    """An integer that must stay within 64 bits."""


def whole(value):
    if type(value) is float:
        return value
    if not -(2**63) <= value < 2**63:
        raise Overflow
    return Whole(value)


def checked(operation):
    def method(self, *others):
        result = operation(self, *others)
        return result if result is NotImplemented else whole(result)

    return method


for operator in ("add", "sub", "mul", "floordiv", "mod", "radd", "rsub", "rmul", "rfloordiv", "rmod", "neg"):
    setattr(Whole, f"__{operator}__", checked(getattr(int, f"__{operator}__")))


def ceil_div(a, b):
    if a < 0 or b <= 0:
        raise Domain
    return whole(-(-int(a) // int(b)))


def round_up(a, b):
    return whole(int(ceil_div(a, b)) * int(b))


def log2(a):
    if a <= 0 or a & (a - 1):
        raise Domain
    return whole(int(a).bit_length() - 1)


class Maker:
    """Trees of Python's own parser, by the kind of their value."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def integer(self, depth):
        if depth == 0 or self.random.random() < 0.1:
            kind = self.random.random()
            if kind < 0.35:
                return ast.Name(self.pick(*INTEGERS))
            number = self.pick(*LIMITS) if kind > 0.92 else self.random.randrange(0, self.pick(3, 20, 1000, 10**9))
            return ast.Constant(number) if number >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-number))
        kind = self.random.random()
        if kind < 0.65:
            operator = self.pick(ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.FloorDiv, ast.Mod, ast.Mod)()
            return ast.BinOp(self.integer(depth - 1), operator, self.integer(depth - 1))
        if kind < 0.75:
            return ast.UnaryOp(ast.USub(), self.integer(depth - 1))
        if kind < 0.85:
            return ast.IfExp(self.truth(depth - 1), self.integer(depth - 1), self.integer(depth - 1))
        if kind < 0.95:
            arguments = [self.integer(depth - 1) for _ in range(self.random.randrange(2, 4))]
            return ast.Call(ast.Name(self.pick("min", "max")), arguments, [])
        name = self.pick("ceil_div", "round_up", "log2")
        return ast.Call(ast.Name(name), [self.integer(depth - 1) for _ in range(1 if name == "log2" else 2)], [])

    def real(self, depth):
        if depth == 0:
            return self.pick(ast.Name("half"), ast.Constant(self.random.randrange(1, 4000) / 16))
        kind = self.random.random()
        small = ast.Constant(self.random.randrange(1, 100))
        if kind < 0.3:
            return ast.BinOp(small, ast.Div(), self.pick(self.real(depth - 1), ast.Constant(self.random.randrange(0, 9))))
        if kind < 0.8:
            operator = self.pick(ast.Add, ast.Sub, ast.Mult)()
            return ast.BinOp(self.pick(small, self.real(depth - 1)), operator, self.real(depth - 1))
        if kind < 0.9:
            return ast.UnaryOp(ast.USub(), self.real(depth - 1))
        return ast.Call(ast.Name(self.pick("min", "max")), [small, self.real(depth - 1)], [])

    def truth(self, depth):
        if depth == 0:
            return self.pick(ast.Name("causal"), ast.Compare(ast.Name("kv"), [ast.Eq()], [ast.Constant("fp8")]),
                             ast.Compare(ast.Name("a"), [ast.Gt()], [ast.Name("zero")]))
        kind = self.random.random()
        if kind < 0.4:
            operator = self.pick(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)()
            number = lambda: self.real(depth - 1) if self.random.random() < 0.2 else self.integer(depth - 1)
            return ast.Compare(number(), [operator], [number()])
        if kind < 0.5:
            among = ast.Tuple([self.integer(depth - 1) for _ in range(self.random.randrange(2, 5))])
            return ast.Compare(self.integer(depth - 1), [self.pick(ast.In, ast.NotIn)()], [among])
        if kind < 0.55:
            among = ast.Tuple([ast.Constant("fp8"), ast.Constant("bf16")])
            return ast.Compare(ast.Name("kv"), [self.pick(ast.In, ast.NotIn)()], [among])
        if kind < 0.8:
            operands = [self.truth(depth - 1) for _ in range(self.random.randrange(2, 4))]
            return ast.BoolOp(self.pick(ast.And, ast.Or)(), operands)
        if kind < 0.95:
            return ast.UnaryOp(ast.Not(), self.pick(self.truth(depth - 1), self.integer(depth - 1)))
        return ast.IfExp(self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1))


class Parenthesised(ast.NodeVisitor):
    """A text with parentheses around every operation, and blanks as somebody may leave them."""

    SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/", ast.Eq: "==",
             ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: " in ", ast.NotIn: " not in ",
             ast.And: " and ", ast.Or: " or "}

    def visit_Name(self, node):
        return node.id

    def visit_Constant(self, node):
        return repr(node.value)

    def visit_Tuple(self, node):
        return "(" + ",".join(map(self.visit, node.elts)) + ")"

    def visit_BinOp(self, node):
        return f"({self.visit(node.left)}{self.SIGNS[type(node.op)]}{self.visit(node.right)})"

    def visit_BoolOp(self, node):
        return "(" + self.SIGNS[type(node.op)].join(map(self.visit, node.values)) + ")"

    def visit_Compare(self, node):
        return f"( {self.visit(node.left)}{self.SIGNS[type(node.ops[0])]}{self.visit(node.comparators[0])} )"

    def visit_UnaryOp(self, node):
        return f"({'not ' if isinstance(node.op, ast.Not) else '- '}{self.visit(node.operand)})"

    def visit_IfExp(self, node):
        return f"({self.visit(node.body)} if {self.visit(node.test)} else {self.visit(node.orelse)})"

    def visit_Call(self, node):
        return f"{node.func.id}( {' , '.join(map(self.visit, node.args))} )"


class Wrapped(ast.NodeTransformer):
    """Integers that are checked, requests' fields as names, `and` and `or` by their truth."""

    def visit_Constant(self, node):
        # 2**63 stands only behind a minus: -2**63 is one number.
        return node if type(node.value) is not int else ast.Call(ast.Name("whole", ast.Load()), [node], [])

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
            return ast.Call(ast.Name("whole", ast.Load()), [node], [])
        return self.generic_visit(node)

    def visit_BoolOp(self, node):
        return ast.Call(ast.Name("bool", ast.Load()), [self.generic_visit(node)], [])


def result_of(text):
    tree = ast.fix_missing_locations(Wrapped().visit(ast.parse(text.replace("r.n", "r_n").strip(), mode="eval")))
    scope = {name.replace(".", "_"): whole(value) if type(value) is int else value for name, value in NAMES.items()}
    scope.update(whole=whole, ceil_div=ceil_div, round_up=round_up, log2=log2, min=min, max=max, bool=bool)
    try:
        value = eval(compile(tree, "table", "eval"), {"__builtins__": {}}, scope)
    except Overflow:
        return "overflow"
    except Domain:
        return "domain"
    except ZeroDivisionError:
        return "zero"
    if type(value) is bool:
        return f"truth {int(value)}"
    return f"real {value.hex()}" if type(value) is float else f"integer {int(value)}"


def main():
    maker = Maker(29)
    results, rows = {}, []
    while len(rows) < 1500:
        depth = maker.random.randrange(1, 6)
        tree = maker.pick(maker.integer, maker.integer, maker.truth, maker.truth, maker.real)(depth)
        text = Parenthesised().visit(tree) if maker.random.random() < 0.3 else ast.unparse(tree)
        result = result_of(text)
        kind = result.split()[0]
        # Mistakes would be most of what deep trees give.
        most = 1500 if kind in ("integer", "truth", "real") else 250
        if len(text) <= 160 and results.get(kind, 0) < most and text not in dict(rows):
            results[kind] = results.get(kind, 0) + 1
            rows.append((text, result))
    signs = [(f"{a} {operator} {b}") for operator in ("//", "%") for a in range(-7, 8) for b in (-3, -2, -1, 0, 1, 2, 3)]
    limits = [f"{a} {operator} {b}" for operator in ("+", "-", "*", "//", "%")
              for a in (2**63 - 1, -(2**63), -(2**63) + 1, 2**62, 3037000500)
              for b in (-(2**63), 2**63 - 1, -2, -1, 0, 1, 2, 3037000500)]
    rows += [(text, result_of(text)) for text in signs + limits]
    for text, result in rows:
        print(f"{text}\t{result}")


main()
