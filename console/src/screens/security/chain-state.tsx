import { useChain } from '../../app/chain.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** Whether the chain is intact, and when that was checked, with buttons to check it again. */
export function ChainState() {
  const { state, isOfContents, isBusy, error, verify, verifyContents } = useChain()
  return (
    <div className="flex flex-wrap items-center gap-3 border-line border-b px-4 py-2">
      {state !== undefined && (
        <p role="status" className={state.chainValid ? 'text-good' : 'text-bad'}>
          {state.chainValid ? (
            <>
              Chain verified <Time at={state.at} short />: intact from {state.fromSeq} to {state.toSeq}
              {isOfContents ? ', with the contents of every stored row.' : '.'}
            </>
          ) : (
            `The chain is broken: ${state.anomalies.length} anomalies.`
          )}
        </p>
      )}
      <Button small disabled={isBusy} onClick={verify}>
        {isBusy ? 'Verifying …' : 'Verify'}
      </Button>
      <Button small disabled={isBusy} onClick={verifyContents}>
        Verify contents
      </Button>
      {error !== null && <Failure error={error} />}
    </div>
  )
}
