import { useMutation } from '@tanstack/react-query'
import type { EntryColophon } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Named } from '../../app/names.tsx'
import { Button } from '../../ui/button.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** The audit record of the version, and whether the chain up to it is intact. */
export function ProofPanel({ colophon: { audit } }: { readonly colophon: EntryColophon }) {
  const verify = useMutation({ mutationFn: () => api.audit.verify() })
  return (
    <Panel
      title="Proof"
      actions={
        <Button small disabled={verify.isPending} onClick={() => verify.mutate()}>
          {verify.isPending ? 'Verifying …' : 'Verify the chain'}
        </Button>
      }
    >
      <div className="p-4">
        {audit === null ? (
          <p className="text-bad">No audit record matches the stored row. Verify the audit with contents.</p>
        ) : (
          <dl className="grid grid-cols-[5.5rem_1fr] gap-x-2 gap-y-1">
            <dt className="text-muted">Recorded</dt>
            <dd>
              <Time at={audit.at} />
            </dd>
            <dt className="text-muted">By</dt>
            <dd className="break-all">
              <Named text={audit.actor} />
            </dd>
            <dt className="text-muted">Position</dt>
            <dd>{audit.position}</dd>
            <dt className="text-muted">Hash</dt>
            <dd>
              <Identifier value={audit.hash} length={24} />
            </dd>
          </dl>
        )}
        {verify.isError && <Failure error={verify.error} />}
        {verify.isSuccess && (
          <p role="status" className={verify.data.chainValid ? 'mt-3 text-good' : 'mt-3 text-bad'}>
            {verify.data.chainValid
              ? `Chain verified just now, from ${verify.data.fromSeq} to ${verify.data.toSeq}.`
              : `The chain is broken: ${verify.data.anomalies.length} anomalies.`}
          </p>
        )}
      </div>
    </Panel>
  )
}
