// Signatures of artifacts: who vouches for what is loaded, held against the bytes that are.
export { parsePublicKey } from './ed25519.js';
export { PAYLOAD_TYPE } from './envelope.js';
export { signingCodes } from './errors.js';
export { checkSums, type CheckedArtifact } from './check-sums.js';
export { exportBundle } from './export-bundle.js';
export { generateKeyFiles, readPrivateKey, type KeyFiles, type PrivateKey } from './key-files.js';
export { openTrusted, trustAnything, unsignedFile, type TrustedSource, type TrustPolicy } from './open-trusted.js';
export { defaultTrustDir } from './seen-revisions.js';
export { signArtifact, type SignedArtifact, type SignOptions } from './sign-artifact.js';
export {
  checkSignature,
  signatureStateOf,
  type Signature,
  type SignatureState,
  type SignedBy,
} from './signature-state.js';
export { parseTrustedKeys, splitKeys } from './trusted-keys.js';
export { importBundle, verifyArtifact, type VerifiedArtifact, type VerifyOptions } from './verify-artifact.js';
