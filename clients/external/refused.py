"""Bad input of `fmha950 external`: field, value, what would be right."""


class Refused(Exception):
    pass
