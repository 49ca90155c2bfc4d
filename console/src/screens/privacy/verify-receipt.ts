import {
  judgeReceipt,
  type ReceiptVerdict,
  readReceipt,
  receiptBytes,
  receiptProblems,
} from '../../../../src/core/forget/receipt-body.ts'

/** A verdict of this browser. Without `ok`, the browser could not check. */
export type BrowserVerdict = ReceiptVerdict | { readonly ok: null; readonly problem: string }

/** Verifies a receipt in this page, with the browser's own cryptography: the server is not asked whether it is valid. */
export async function verifyReceiptHere(receipt: unknown, publicKey: string): Promise<BrowserVerdict> {
  const parts = readReceipt(receipt)
  if ('problem' in parts) return { ok: false, problem: parts.problem }
  const { body, signature } = parts
  // Browsers offer cryptography only to pages from https or from the same machine.
  if (globalThis.crypto?.subtle === undefined)
    return { ok: null, problem: 'This page was not loaded over HTTPS, so the browser cannot verify signatures here.' }
  if (signature.keyId !== (await keyIdOf(publicKey))) return { ok: false, problem: receiptProblems.otherKey }
  try {
    const key = await crypto.subtle.importKey('spki', fromBase64(publicKey), 'Ed25519', false, ['verify'])
    const isSigned = await crypto.subtle.verify(
      'Ed25519',
      key,
      fromBase64(signature.value),
      new Uint8Array(receiptBytes(body)),
    )
    return isSigned ? judgeReceipt(body) : { ok: false, problem: receiptProblems.changed }
  } catch (error) {
    const isUnknown = error instanceof DOMException && error.name === 'NotSupportedError'
    return isUnknown
      ? { ok: null, problem: 'This browser does not know Ed25519 signatures.' }
      : { ok: false, problem: receiptProblems.malformed }
  }
}

async function keyIdOf(publicKey: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(publicKey))
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, 16)
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
