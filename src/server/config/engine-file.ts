// The fields of engine.json, in one place: types, checks, messages and the reference page derive from it.
import { Type } from '../../schema/index.js';

const Path = (description: string) => Type.String({ minLength: 1, maxLength: 4_096, description });
/** Identities are listed by hand or by a tool; each is looked at for each connection. */
const Identities = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), { maxItems: 10_000, default: [], description });

/** The whole file. */
export const EngineFile = Type.Object(
  {
    engine: Type.Optional(
      Type.Object(
        {
          id: Type.String({
            pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
            default: 'native-engine',
            description: 'What Status and the log call this instance: 1 to 128 letters, digits, `.`, `_` and `-`.',
          }),
          listen_address: Type.String({
            minLength: 1,
            maxLength: 253,
            default: '127.0.0.1',
            description: 'Address or host name to listen on; `0.0.0.0` and `::` are every address.',
          }),
          grpc_port: Type.Integer({
            minimum: 0,
            maximum: 65_535,
            default: 19_443,
            description: 'Port of gRPC; 0 takes a free one.',
          }),
          log_level: Type.Enum(['debug', 'info', 'warn', 'error'], {
            default: 'info',
            description: 'Entries that matter less are not written. Audit lines of calls are `info`.',
          }),
        },
        { additionalProperties: false, description: 'The instance and its socket.' },
      ),
    ),
    security: Type.Optional(
      Type.Object(
        {
          mtls_required: Type.Boolean({
            default: true,
            description: 'Clients must bring a certificate of `client_ca_path` whose identity is listed.',
          }),
          server_cert_path: Type.Optional(
            Path('PEM file with the certificate of the server, followed by those between it and its root.'),
          ),
          server_key_path: Type.Optional(Path('PEM file with its private key, closed to other users.')),
          client_ca_path: Type.Optional(Path('PEM file with the CAs that sign certificates of clients.')),
          control_identities: Identities('Identities that may call Control and reflection.'),
          data_identities: Identities('Identities that may call Inference.'),
          trusted_signing_keys: Type.Array(Type.String({ maxLength: 256 }), {
            maxItems: 64,
            default: [],
            description: 'Ed25519 public keys that may sign the artifact, 64 hexadecimal digits each.',
          }),
          allow_unsigned_dev: Type.Boolean({
            default: false,
            description: 'For development: an artifact without a signature, or signed by another key, is taken too.',
          }),
        },
        { additionalProperties: false, description: 'Who may call, and what may be loaded.' },
      ),
    ),
    model: Type.Object(
      { artifact_path: Path('Directory of the artifact.') },
      { additionalProperties: false, description: 'The one model that is served.' },
    ),
    hardware: Type.Optional(
      Type.Object(
        {
          backend: Type.String({ maxLength: 64, default: 'auto', description: 'As `--backend`, without a number.' }),
          device_id: Type.Integer({
            minimum: 0,
            maximum: 999,
            default: 0,
            description: 'Which device of a backend that has several.',
          }),
        },
        { additionalProperties: false, description: 'What computes.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'The file.' },
);

/** A file with every default filled in, and its paths made absolute. */
export interface EngineConfig {
  readonly engine: {
    readonly id: string;
    readonly listenAddress: string;
    readonly grpcPort: number;
    readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  };
  readonly security: {
    readonly mtlsRequired: boolean;
    readonly serverCertPath: string | undefined;
    readonly serverKeyPath: string | undefined;
    readonly clientCaPath: string | undefined;
    readonly controlIdentities: readonly string[];
    readonly dataIdentities: readonly string[];
    readonly trustedSigningKeys: readonly string[];
    readonly allowUnsignedDev: boolean;
  };
  readonly model: { readonly artifactPath: string };
  readonly hardware: { readonly backend: string; readonly deviceId: number };
}
