import { setNonce } from 'get-nonce'

/** Style elements that a library makes while running carry the nonce of the page; the content policy refuses others. */
export function adoptStyleNonce(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content
  if (nonce) setNonce(nonce)
}
