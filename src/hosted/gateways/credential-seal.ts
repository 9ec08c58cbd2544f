// Credentials of connected gateways in the database: AES-256-GCM. Source: NIST SP 800-38D.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../base/index.js';

/** Seals texts for the database. */
export interface Seal {
  /** Seals a text: only this seal opens it, and only under the same name. */
  close(name: string, text: string): string;
  /** Errors: `gateway_credential_unreadable` where it was sealed by another secret, under another name, or changed. */
  open(name: string, sealed: string): string;
}

const VERSION = 'v1';
/** 96 bits, the one length for which GCM needs no hash of it; drawn anew each time, for far fewer than 2^32 sealings. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The seal of a key of 32 bytes. */
export function createSeal(key: Uint8Array): Seal {
  return {
    close(name, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${sealed.toString('base64url')}`;
    },
    open(name, sealed) {
      const [version, text = ''] = sealed.split('.');
      const bytes = Buffer.from(text, 'base64url');
      if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) throw unreadable(name);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
        return Buffer.concat(opened).toString('utf8');
      } catch {
        throw unreadable(name);
      }
    },
  };
}

function unreadable(name: string): AppError {
  const message = `the credential of the gateway ${name} was sealed by another secret than that of hosted.yaml; set that secret again, or add the gateway again`;
  return new AppError('gateway_credential_unreadable', message, { gateway: name });
}
