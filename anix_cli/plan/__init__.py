"""Commands → beats; blocking; camera moves; clips, seeds, keys → Plan. Pure but for the plan's own files.

``build.build`` makes a plan, ``planfile`` reads and writes it, ``summary`` prints it, ``commands`` reads the
words alone. Nothing is imported here, so that checking commands does not load the mathematics of cameras.
"""
