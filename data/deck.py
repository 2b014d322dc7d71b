"""How the case grids deal out what they do not cross."""
import random


class Deck:
    """Deals its cards in random order, all of them before any comes again."""

    def __init__(self, cards, seed):
        self.cards, self.left, self.random = cards, [], random.Random(seed)

    def deal(self):
        if not self.left:
            self.left = self.random.sample(self.cards, len(self.cards))
        return self.left.pop()
