import { Link } from '@tanstack/react-router'
import { classNames } from '../ui/class-names.ts'
import { Time } from '../ui/time.tsx'
import { useChain } from './chain.ts'

/** The state of the audit chain, on every screen. It leads to the log. */
export function ChainMark() {
  const { state } = useChain()
  if (state === undefined) return null
  return (
    <Link
      to="/security"
      search={{ tab: 'audit' }}
      className={classNames(
        'block border-line border-t px-4 py-2 text-xs hover:underline',
        state.chainValid ? 'text-good' : 'text-bad',
      )}
    >
      {state.chainValid ? (
        <>
          Chain verified <Time at={state.at} short />
        </>
      ) : (
        'The audit chain is broken'
      )}
    </Link>
  )
}
