"""DSSE envelopes by securesystemslib and cryptography: reads one command as JSON on standard input, answers in JSON."""

import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey
from sigstore_protobuf_specs.dev.sigstore.bundle.v1 import Bundle


def key_of(hex_key):
    return SSlibKey(hex_key, "ed25519", "ed25519", {"public": hex_key})


def verify(command):
    """Whether each key has signed, by securesystemslib and by cryptography alone."""
    envelope = Envelope.from_dict(json.loads(command["envelope"]))
    answers = []
    for hex_key in command["keys"]:
        try:
            by_library = len(envelope.verify([key_of(hex_key)], 1)) == 1
        except VerificationError:
            by_library = False
        signature = envelope.signatures.get(hex_key)
        try:
            raw = bytes.fromhex(signature.signature) if signature else b""
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(hex_key)).verify(raw, envelope.pae())
            by_hand = True
        except InvalidSignature:
            by_hand = False
        answers.append([by_library, by_hand])
    return {"answers": answers, "payload": envelope.payload.decode(), "type": envelope.payload_type}


def sign(command):
    """An envelope of theirs around a payload of ours, signed with a private key of ours."""
    with open(command["privateKeyFile"], "rb") as file:
        signer = CryptoSigner(load_pem_private_key(file.read(), None))
    envelope = Envelope(command["payload"].encode(), command["type"], {})
    envelope.sign(signer)
    return {"envelope": json.dumps(envelope.to_dict()), "keyid": signer.public_key.keyid}


def bundle(command):
    """What Sigstore's own schema reads of a bundle."""
    read = Bundle.from_dict(json.loads(command["bundle"]))
    return {
        "mediaType": read.media_type,
        "hint": read.verification_material.public_key.hint,
        "entries": len(read.verification_material.tlog_entries),
        "payload": read.dsse_envelope.payload.decode(),
        "type": read.dsse_envelope.payload_type,
        "signatures": [signature.sig.hex() for signature in read.dsse_envelope.signatures],
        "written": json.loads(read.to_json()),
    }


print(json.dumps({"verify": verify, "sign": sign, "bundle": bundle}[sys.argv[1]](json.load(sys.stdin))))
