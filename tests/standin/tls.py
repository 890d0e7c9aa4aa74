"""A certificate authority of one's own, as companies have it."""

from __future__ import annotations

import datetime as dt
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Authority:
    """`ca` is the file to trust, `server` serves all `names`."""

    ca: Path
    server: ssl.SSLContext


def authority(folder: Path, *names: str, name: str = "company") -> Authority:
    key, own = ec.generate_private_key(ec.SECP256R1()), _name(f"{name} CA")
    builder = _certificate(own, own, key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    root = builder.add_extension(_usage(signs=True), critical=True).sign(key, hashes.SHA256())
    server_key = ec.generate_private_key(ec.SECP256R1())
    alternatives = x509.SubjectAlternativeName([x509.DNSName(text) for text in names])
    leaf = _certificate(_name(names[0]), own, server_key.public_key()).add_extension(
        alternatives, critical=False
    )
    leaf = leaf.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False
    )
    folder.mkdir(parents=True, exist_ok=True)
    ca, chain = folder / f"{name}-ca.pem", folder / f"{name}-server.pem"
    ca.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    chain.write_bytes(
        server_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + leaf.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain)
    return Authority(ca=ca, server=server)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
