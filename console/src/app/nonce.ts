import { setNonce } from 'get-nonce'

/** Gives style elements that libraries create the nonce of the page. The content security policy refuses others. */
export function adoptStyleNonce(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content
  if (nonce) setNonce(nonce)
}
