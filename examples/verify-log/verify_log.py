#!/usr/bin/env python3
"""Verifies the audit log of a Colophon server from bytes alone: a checkpoint, an inclusion proof, a consistency proof.

It shares no code with the server and needs only the standard library of Python 3.8 or later. Each command prints one line
and ends with 0, or says what is wrong and ends with 1.

  verify_log.py checkpoint  --key KEY [--witness KEY] CHECKPOINT
  verify_log.py inclusion   --key KEY --audit AUDIT.json --proof PROOF.json CHECKPOINT
  verify_log.py consistency --key KEY --proof PROOF.json OLDER NEWER

KEY is a verifier key (NAME+ID+BASE64) that you keep: of the log from GET log/keys, of a witness from its own output.
CHECKPOINT, OLDER and NEWER are files with a checkpoint. AUDIT.json is a page of GET audit that has the record of the
proof and the record before it. PROOF.json is the response of GET log/proof/inclusion or GET log/proof/consistency.
"""

import argparse
import base64
import hashlib
import json
import sys


class Wrong(Exception):
    """What does not fit."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# Ed25519 (RFC 8032, 5.1): verification only. No secret is involved, so it need not run in constant time.

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def point_add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def point_multiply(factor, point):
    result = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        factor >>= 1
    return result


def point_decompress(text):
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if squared == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P != 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - squared) % P != 0:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = point_decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public_key, message, signature):
    if len(public_key) != 32 or len(signature) != 64:
        return False
    a, r = point_decompress(public_key), point_decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % Q
    left, right = point_multiply(s, BASE), point_add(r, point_multiply(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature).


def parse_key(line):
    name, key_id, encoded = line.strip().split("+", 2)
    algorithm_and_key = base64.b64decode(encoded, validate=True)
    if sha256(name.encode() + b"\n" + algorithm_and_key)[:4].hex() != key_id:
        raise Wrong("the id of the key does not fit the key")
    return name, key_id, algorithm_and_key[0], algorithm_and_key[1:]


def read_checkpoint(file, key_line):
    """The origin, size and root of a checkpoint, and its signed text. The signature of the log is verified."""
    with open(file, encoding="utf-8", newline="") as opened:
        note = opened.read()
    text, separator, _ = note.rpartition("\n\n")
    if not separator:
        raise Wrong(f"{file} is no signed note")
    text += "\n"
    check_signature(file, note, text, key_line)
    origin, size, root = text.split("\n")[:3]
    if origin != key_line.split("+")[0]:
        raise Wrong(f"{file} is a checkpoint of another log: {origin}")
    if str(int(size)) != size:
        raise Wrong(f"{file} has no valid size")
    return origin, int(size), base64.b64decode(root, validate=True)


def check_signature(file, note, text, key_line):
    name, key_id, algorithm, public_key = parse_key(key_line)
    for line in note[len(text) + 1 :].splitlines():
        dash, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded, validate=True)
        if dash != "\u2014" or signer != name or signature[:4].hex() != key_id:
            continue
        message, value = text.encode(), signature[4:]
        if algorithm == 4:
            seconds, value = int.from_bytes(value[:8], "big"), value[8:]
            message = f"cosignature/v1\ntime {seconds}\n".encode() + message
        elif algorithm != 1:
            raise Wrong("the key is neither of a log nor of a witness")
        if not is_signed(public_key, message, value):
            raise Wrong(f"the signature of {name} on {file} is not valid")
        return
    raise Wrong(f"{file} has no signature of {name}")


# The Merkle tree (RFC 6962; verification as in RFC 9162, 2.1.3.2 and 2.1.4.2).


def leaf_hash(leaf):
    return sha256(b"\x00", leaf)


def node_hash(left, right):
    return sha256(b"\x01", left, right)


def check_inclusion(leaf, index, size, root, proof):
    if not 0 <= index < size:
        raise Wrong("the record is not within the log of this checkpoint")
    at, last, found = index, size - 1, leaf
    for item in proof:
        if last == 0:
            raise Wrong("the proof is too long")
        if at & 1 or at == last:
            found = node_hash(item, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, item)
        at, last = at >> 1, last >> 1
    if last != 0 or found != root:
        raise Wrong("the proof does not lead to the root of the checkpoint")


def check_consistency(size, root, newer_size, newer_root, proof):
    if size > newer_size:
        raise Wrong("the newer checkpoint has fewer records")
    if size == newer_size or size == 0:
        if proof or (size and root != newer_root):
            raise Wrong("two checkpoints of one size have different roots")
        return
    if size & (size - 1) == 0:
        proof = [root] + proof
    if not proof:
        raise Wrong("the proof is empty")
    at, last = size - 1, newer_size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    older, newer = proof[0], proof[0]
    for item in proof[1:]:
        if last == 0:
            raise Wrong("the proof is too long")
        if at & 1 or at == last:
            older, newer = node_hash(item, older), node_hash(item, newer)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            newer = node_hash(newer, item)
        at, last = at >> 1, last >> 1
    if last != 0 or older != root or newer != newer_root:
        raise Wrong("the newer log does not begin with the records of the older one")


# The leaf: the hash of an audit record, which is computed again from what GET audit returns.


def record_hash(page, position):
    records = {record["position"]: record for record in page["records"]}
    if position not in records or (position > 1 and position - 1 not in records):
        raise Wrong(f"the page of the audit needs the records {position - 1} and {position}")
    record = records[position]
    whole = {
        "at": record["at"],
        "body": {**record["body"], "kind": record["kind"], "actor": record["actor"]},
        "position": position,
        "prev": records[position - 1]["hash"] if position > 1 else "0" * 64,
        "tenant": page["head"]["tenant"],
        "v": 1,
    }
    # Canonical JSON (RFC 8785). Bodies have texts and whole numbers, for which this is the same.
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode())


def read_json(file):
    with open(file, encoding="utf-8") as opened:
        return json.load(opened)


def hashes_of(proof):
    return [base64.b64decode(item, validate=True) for item in proof["hashes"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, files in (("checkpoint", 1), ("inclusion", 1), ("consistency", 2)):
        command = commands.add_parser(name)
        command.add_argument("--key", required=True)
        command.add_argument("--witness", action="append", default=[])
        if name != "checkpoint":
            command.add_argument("--proof", required=True)
        if name == "inclusion":
            command.add_argument("--audit", required=True)
        command.add_argument("files", nargs=files)
    given = parser.parse_args()
    origin, size, root = read_checkpoint(given.files[0], given.key)
    for witness in given.witness:
        with open(given.files[0], encoding="utf-8", newline="") as opened:
            note = opened.read()
        check_signature(given.files[0], note, note.rpartition("\n\n")[0] + "\n", witness)
    if given.command == "checkpoint":
        print(f"valid: {origin} has {size} records, root {root.hex()}")
    elif given.command == "inclusion":
        proof = read_json(given.proof)
        position = proof["position"]
        leaf = leaf_hash(record_hash(read_json(given.audit), position))
        check_inclusion(leaf, position - 1, size, root, hashes_of(proof))
        print(f"valid: record {position} is one of the {size} records of {origin}")
    else:
        _, newer_size, newer_root = read_checkpoint(given.files[1], given.key)
        check_consistency(size, root, newer_size, newer_root, hashes_of(read_json(given.proof)))
        print(f"valid: the {newer_size} records of {origin} begin with the {size} of the older checkpoint")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ValueError, KeyError, IndexError, TypeError) as problem:
        sys.exit(f"not valid: {problem}")
