# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads and writes PNG files of 8 bits without any library for pictures, to judge programs that use one."""
import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def _chunks(data):
    if data[:8] != SIGNATURE:
        raise ValueError("no PNG file")
    place = 8
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, place + 8 + length)
        if zlib.crc32(kind + body) != checksum:
            raise ValueError(f"the chunk {kind} is damaged")
        yield kind, body
        place += 12 + length


def _paeth(left, above, corner):
    guess = left + above - corner
    distances = [abs(guess - value) for value in (left, above, corner)]
    return (left, above, corner)[distances.index(min(distances))]


def _predict(kind, left, above, corner):
    return (0, left, above, (left + above) // 2, _paeth(left, above, corner))[kind]


def _unfilter(kind, line, before, n_channels):
    row = bytearray(line)
    for place, value in enumerate(line):
        left, corner = (row[place - n_channels], before[place - n_channels]) if place >= n_channels else (0, 0)
        row[place] = value + _predict(kind, left, before[place], corner) & 255
    return row


def read_png(path):
    """The pixels, (height, width, channels)."""
    with open(path, "rb") as file:
        chunks = list(_chunks(file.read()))
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth != 8 or colour not in CHANNELS or interlaced:
        raise ValueError(f"a PNG file of {depth} bits, colour type {colour}")
    lines = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    n_channels = CHANNELS[colour]
    size = width * n_channels
    rows = [bytearray(size)]
    for start in range(0, len(lines), size + 1):
        rows.append(_unfilter(lines[start], lines[start + 1 : start + 1 + size], rows[-1], n_channels))
    return np.frombuffer(b"".join(rows[1:]), np.uint8).reshape(height, width, n_channels)


def write_png(path, pixels):
    """Writes pixels, (height, width, channels), of 1, 2, 3 or 4 channels."""
    height, width, n_channels = pixels.shape
    colour = next(colour for colour, n in CHANNELS.items() if n == n_channels)
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(SIGNATURE)
        for kind, body in (b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""):
            file.write(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
