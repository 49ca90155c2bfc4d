import { useLocation } from '@tanstack/react-router'
import { isClientError } from '../../../src/client/index.ts'
import { Button } from '../ui/button.tsx'
import { formatMoment, useAsOf, useMoment } from './moment.ts'
import { useAddress } from './use-address.ts'

/** Screens whose every part shows the moment of the address. */
const pastScreens = /^\/(memories|subjects)(\/|$)/

/** Says that the screen shows the past, and leads back. It is shown as long as the address has a moment. */
export function MomentBanner() {
  const asOf = useAsOf()
  const [, change] = useAddress()
  const moment = useMoment(asOf)
  const path = useLocation({ select: ({ pathname }) => pathname })
  if (asOf === undefined) return null
  const isPast = pastScreens.test(path)
  return (
    <div
      role="status"
      aria-label="Moment"
      className="sticky -top-4 z-30 mb-4 flex flex-wrap items-center justify-between gap-2 rounded-md border border-warn bg-raised px-4 py-2 md:-top-6"
    >
      <p>
        {moment.isError ? (
          isClientError(moment.error) && moment.error.status === 410 ? (
            'Memory of that moment is no longer kept.'
          ) : (
            `“${asOf}” is not a moment that can be shown.`
          )
        ) : (
          <>
            <strong className="font-medium">
              {moment.data === undefined ? 'Viewing the past' : `Viewing ${formatMoment(moment.data)}`}
            </strong>
            {!isPast && ' in Memories. This screen shows the current state.'}
          </>
        )}
      </p>
      <Button small onClick={() => change({ asOf: undefined })}>
        Back to now
      </Button>
    </div>
  )
}
