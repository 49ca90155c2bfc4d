import { createPortal } from 'react-dom'
import type { Receipt } from './receipt-view.tsx'
import type { BrowserVerdict } from './verify-receipt.ts'
import { wordsOfFiles, wordsOfLayer, wordsOfSelector } from './words.ts'

type CertificateProps = {
  readonly receipt: Receipt
  readonly publicKey: string
  readonly keyId: string
  readonly verdict: BrowserVerdict
}

/** The receipt on paper: only what is printed shows it, in place of the screen. */
export function Certificate({ receipt, publicKey, keyId, verdict }: CertificateProps) {
  const erased = Object.entries(receipt.erased).filter(([, count]) => count !== 0)
  const left = Object.values(receipt.left).reduce((sum, count) => sum + Number(count), 0)
  const rows: readonly (readonly [string, string])[] = [
    ['What was erased', wordsOfSelector(receipt.selector.kind)],
    ['Requested', receipt.requestedAt],
    ['Completed', receipt.completedAt],
    ['Tenant', receipt.tenant],
    ['Host', receipt.host],
    ['Found afterwards', left === 0 ? 'nothing' : `${left} rows`],
    ['Files', wordsOfFiles(receipt.physical)],
    ['Audit log', `position ${receipt.audit.position}, ${receipt.audit.hash}`],
    ['Receipt', receipt.id],
    ['Signature', `${receipt.signature.algorithm}, key ${keyId}: ${receipt.signature.value}`],
    ['Public key', publicKey],
    [
      'Verification',
      verdict.ok
        ? 'The signature was verified in the browser that printed this page.'
        : `NOT VERIFIED: ${verdict.problem}`,
    ],
  ]
  return createPortal(
    <article className="certificate hidden p-8 print:block" aria-label="Certificate of erasure">
      <h1 className="mb-1 font-serif text-3xl">Certificate of erasure</h1>
      <p className="mb-6">The name of what was erased is not on this page, because it was erased too.</p>
      <dl className="mb-6 grid grid-cols-[9rem_1fr] gap-x-4 gap-y-2">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="font-medium">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <h2 className="mb-1 font-serif text-xl">Erased</h2>
      <ul>
        {erased.map(([layer, count]) => (
          <li key={layer}>
            {wordsOfLayer(layer)}: {String(count)}
          </li>
        ))}
        {erased.length === 0 && <li>nothing: no row matched</li>}
      </ul>
      <p className="mt-6 font-mono text-xs break-all">
        colophon forget verify {receipt.id}.json --public-key {publicKey}
      </p>
    </article>,
    document.body,
  )
}
