#!/usr/bin/env python3
# Prints a table of copies for driver.cu, a line each, with words:
#   bulk OPERATION BYTES OFFSET
#   tensor OPERATION ELEMENT SWIZZLE INTERLEAVE PROMOTION SIZES PITCHES BOX STEPS AT
# OPERATION is load, store or add. ELEMENT: its bytes. SWIZZLE, INTERLEAVE and PROMOTION: CUDA's numbers.
# The rest are lists, dimension 0 first: sizes of the tensor, bytes between the starts of neighbours along dimensions
# 1, 2, …, the box, the steps along each dimension, the coordinates where the copy begins.
#   copies.py join LINES COUNTED METRICS…    the lines that were launched beside what ncu counted (--csv), for sectors.csv
import csv
import sys

if sys.argv[1:2] == ['join']:
    launches = {}
    counted = [line for line in open(sys.argv[3]) if line.startswith('"')]
    for row in csv.DictReader(counted):
        launches.setdefault(int(row['ID']), {})[row['Metric Name']] = row['Metric Value']
    for line, (_, values) in zip(open(sys.argv[2]), sorted(launches.items())):
        print(line.strip(), *(values[name + '.sum'] for name in sys.argv[4:]), sep=',')
    sys.exit()


def show(numbers): return 'x'.join(map(str, numbers))


def tensor(operation, element, sizes, box, at=None, pitches=None, steps=None, swizzle=0, interleave=0, promotion=0):
    if pitches is None:
        pitches, bytes = [], element
        for size in sizes[:-1]:
            bytes *= size
            pitches.append(bytes)
    at = at or [0] * len(sizes)
    steps = steps or [1] * len(sizes)
    print('tensor', operation, element, swizzle, interleave, promotion, show(sizes), show(pitches) or '-', show(box), show(steps), show(at))


for operation in 'load', 'store', 'add':
    for bytes, offset in ((16, 0), (16, 16), (32, 0), (32, 16), (48, 0), (48, 16), (64, 0), (64, 16), (64, 32), (128, 0), (128, 16), (128, 64),
                          (144, 112), (256, 0), (1024, 0), (1024, 16), (4096, 32), (8192, 0), (8192, 16)):
        if operation != 'add' or bytes < 256: print('bulk', operation, bytes, offset)
for operation in 'load', 'store', 'add':
    for element in (1, 2, 4, 8):  # rows of 16 to 256 bytes, in rows of 1 KiB
        if operation == 'add' and element == 1: continue
        for row in (16, 32, 48, 64, 128, 256):
            if row // element <= 256 and (element == 2 or row in (16, 128)):
                tensor(operation, element, [1024 // element, 256], [row // element, 16], pitches=[1024])
    if operation == 'add': continue
    for pitch in (16, 32, 48, 64, 80, 128, 144, 1040, 1056, 4112):  # rows that lie close, or not at whole sectors
        row = min(pitch, 64)
        tensor(operation, 4, [pitch // 4, 64], [row // 4, 16], pitches=[pitch])
    for row, x, y in ((64, 4, 0), (64, 8, 3), (48, 4, 1), (16, 4, 0), (32, 12, 5), (128, 20, 7), (64, 28, 2)):  # coordinates
        tensor(operation, 4, [256, 64], [row // 4, 16], at=[x, y])
    for x, y in ((-8, 0), (-4, -4), (248, 60), (252, 63), (0, -16), (256, 0), (244, 0)):  # boxes that hang over the edge
        tensor(operation, 4, [256, 64], [16, 16], at=[x, y])
    tensor(operation, 4, [28, 64], [32, 16], pitches=[128])
    tensor(operation, 4, [27, 64], [32, 16], pitches=[112])
    for swizzle, row in ((1, 32), (2, 32), (2, 64), (3, 32), (3, 64), (3, 128), (3, 48)):
        tensor(operation, 2, [512, 128], [row // 2, 64], swizzle=swizzle)
    for promotion in (1, 2, 3):
        for row in (16, 32, 64, 128):
            tensor(operation, 4, [256, 64], [row // 4, 16], at=[4, 1] if row == 64 else None, promotion=promotion)
    for steps in ([1, 2], [1, 4], [2, 1], [1, 8]):
        tensor(operation, 4, [256, 64], [16, 16], steps=steps)
    tensor(operation, 4, [4096], [64]), tensor(operation, 4, [4096], [256]), tensor(operation, 4, [4096], [64], at=[4])
    tensor(operation, 4, [32, 16, 8], [16, 4, 2], at=[0, 2, 1])
    tensor(operation, 2, [24, 8, 4, 4], [16, 4, 2, 2], at=[8, 1, 1, 1])
    tensor(operation, 2, [64, 4, 4, 4, 4], [64, 2, 2, 2, 2], at=[0, 1, 1, 1, 1], steps=[1, 1, 2, 1, 1])
    for rows in (1, 2, 64, 256): tensor(operation, 4, [64, 256], [16, rows])
    for interleave, element, box in ((1, 2, [8, 8, 4]), (1, 1, [16, 16, 2]), (2, 2, [16, 8, 4]), (2, 1, [32, 16, 2])):
        tensor(operation, element, [box[0], 32, 8], box, interleave=interleave, swizzle=1 if interleave == 2 else 0)
