import { Link } from '@tanstack/react-router'
import type { EntryColophon } from '../../../../src/client/index.ts'
import { Named } from '../../app/names.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Time } from '../../ui/time.tsx'
import { VerifySource } from './verify-source.tsx'

type Step = EntryColophon['story'][number]

/** A mark and a name for each kind of step. */
const kinds: ReadonlyMap<string, { readonly mark: string; readonly name: string }> = new Map([
  ['told', { mark: 'S', name: 'Source event' }],
  ['edited', { mark: 'E', name: 'Edited' }],
  ['job', { mark: 'J', name: 'Job' }],
  ['asserted', { mark: 'A', name: 'Asserted' }],
  ['written', { mark: 'W', name: 'Written by a run' }],
  ['redacted', { mark: 'R', name: 'Redacted' }],
  ['version', { mark: 'V', name: 'Version' }],
  ['decided', { mark: 'D', name: 'Decided' }],
  ['ended', { mark: 'E', name: 'Ended' }],
  ['compacted', { mark: 'C', name: 'Compacted' }],
  ['imported', { mark: 'I', name: 'Imported' }],
  ['released', { mark: 'L', name: 'Released from quarantine' }],
  ['rejected', { mark: 'X', name: 'Rejected in quarantine' }],
])

/** The steps from the source event to the stored version, each with its time and its audit position. */
export function ColophonChain({ colophon }: { readonly colophon: EntryColophon }) {
  const { story, audit } = colophon
  return (
    <ol aria-label="Colophon" className="relative ml-4 border-line border-l-2 pl-6">
      {story.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a story only grows at its end.
        <ChainLink key={index} mark={kinds.get(step.step)?.mark ?? '·'}>
          <StepText step={step} />
        </ChainLink>
      ))}
      {audit !== null && (
        <ChainLink mark="#">
          <p className="font-medium">Audit record {audit.position}</p>
          <p className="text-muted">
            by <Named text={audit.actor} />, <Time at={audit.at} />
          </p>
          <Identifier value={audit.hash} length={32} />
        </ChainLink>
      )}
    </ol>
  )
}

function ChainLink({ mark, children }: { readonly mark: string; readonly children: React.ReactNode }) {
  return (
    <li className="relative mb-5">
      <span
        aria-hidden="true"
        className="absolute -left-[2.35rem] grid size-6 place-items-center rounded-full border-2 border-accent bg-paper text-accent text-xs"
      >
        {mark}
      </span>
      {children}
    </li>
  )
}

function StepText({ step }: { readonly step: Step }) {
  const details = step.details as Readonly<Record<string, unknown>>
  return (
    <>
      <p>
        <span className="font-medium">{kinds.get(step.step)?.name ?? step.step}</span>{' '}
        <span className="text-muted text-xs">
          <Time at={step.at} />
          {step.position !== undefined && ` · position ${step.position}`}
        </span>
      </p>
      <p className="break-words">
        <Named text={step.text} />
      </p>
      {typeof details.payloadHash === 'string' && (
        <p className="mt-1 flex flex-wrap items-center gap-2">
          <Identifier value={details.payloadHash} length={28} />
          {typeof details.sourceEventId === 'string' && <VerifySource sourceEventId={details.sourceEventId} />}
        </p>
      )}
      {typeof details.runId === 'string' && (
        <Link to="/runs/$runId" params={{ runId: details.runId }} className="text-accent underline">
          Open the run <Named text={details.runId} />
        </Link>
      )}
      {typeof details.claimId === 'string' && (
        <Link to="/claims" search={{ claim: details.claimId }} className="text-accent underline">
          Compare the contents
        </Link>
      )}
    </>
  )
}
