import { ColophonError } from '../../core/errors.ts'
import { keyIdOf } from '../../core/forget/receipt.ts'
import type { Engine } from '../engine.ts'

/** The public key of receipts and exports, and its id. */
export function readSigningKey({ host: { signer } }: Engine): { readonly keyId: string; readonly publicKey: string } {
  if (signer === null) throw new ColophonError('signing_key_missing', 'This host signs nothing.')
  return { keyId: keyIdOf(signer.publicKey), publicKey: signer.publicKey }
}
