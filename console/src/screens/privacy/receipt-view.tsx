import { useQuery } from '@tanstack/react-query'
import type { Forget } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Certificate } from './certificate.tsx'
import { LayerCounts } from './layer-counts.tsx'
import { type BrowserVerdict, verifyReceiptHere } from './verify-receipt.ts'
import { wordsOfFiles } from './words.ts'

export type Receipt = NonNullable<Forget['receipt']>

/** A receipt, verified here with the public key that is shown: the same key verifies it anywhere. */
export function ReceiptView({ receipt }: { readonly receipt: Receipt }) {
  const checked = useQuery({
    queryKey: ['receipt', receipt],
    queryFn: async ({ signal }) => {
      const { publicKey, keyId } = await api.forget.signingKey({ signal })
      return { publicKey, keyId, verdict: await verifyReceiptHere(receipt, publicKey) }
    },
  })
  const file = `${receipt.id}.json`
  return (
    <section aria-label="Receipt" className="space-y-3 rounded-md border border-line p-4">
      <h3 className="font-serif text-base">Receipt</h3>
      {checked.isError && <Failure error={checked.error} onRetry={() => checked.refetch()} />}
      {checked.isPending ? <p role="status">Verifying …</p> : null}
      {checked.isSuccess && <Verdict verdict={checked.data.verdict} />}
      {receipt.note !== undefined && <p className="text-bad">{receipt.note}</p>}
      <LayerCounts caption="Erased" counts={receipt.erased} />
      <LayerCounts caption="Left after the erasure (checked)" counts={receipt.left} />
      <dl className="grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1 text-sm">
        <dt className="text-muted">Completed</dt>
        <dd>
          <Time at={receipt.completedAt} />
        </dd>
        <dt className="text-muted">Database files</dt>
        <dd>{wordsOfFiles(receipt.physical)}</dd>
        <dt className="text-muted">Audit head</dt>
        <dd>
          {receipt.audit.position} <Identifier value={receipt.audit.hash} />
        </dd>
        <dt className="text-muted">Signature</dt>
        <dd>
          {receipt.signature.algorithm} <Identifier value={receipt.signature.value} />
        </dd>
        <dt className="text-muted">Public key</dt>
        <dd className="font-mono text-xs break-all">{checked.data?.publicKey ?? '…'}</dd>
      </dl>
      <div className="flex flex-wrap gap-2">
        <Button small onClick={() => saveAs(file, 'application/json', JSON.stringify(receipt, null, 2))}>
          Save the receipt
        </Button>
        <Button small disabled={!checked.isSuccess} onClick={() => print()}>
          Print the certificate
        </Button>
      </div>
      {checked.isSuccess && (
        <>
          <HowToVerify command={`colophon forget verify ${file} --public-key ${checked.data.publicKey}`} />
          <Certificate receipt={receipt} {...checked.data} />
        </>
      )}
    </section>
  )
}

function Verdict({ verdict }: { readonly verdict: BrowserVerdict }) {
  if (verdict.ok)
    return (
      <p role="status" className="font-medium text-good">
        ✓ Verified in this page: this host signed it, and nothing in it was changed.
      </p>
    )
  return (
    <p role="alert" className="font-medium text-bad">
      {verdict.ok === null ? 'Not verified here.' : '✗ Not valid.'} {verdict.problem}
    </p>
  )
}

function HowToVerify({ command }: { readonly command: string }) {
  return (
    <div className="space-y-1 text-xs">
      <p className="text-muted">To verify the saved file on any machine, without this server:</p>
      <pre className="rounded-md bg-sunken p-2 font-mono whitespace-pre-wrap break-all">
        <code>{command}</code>
      </pre>
      <CopyButton text={command} label="Copy the command" />
    </div>
  )
}
