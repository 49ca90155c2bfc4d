/** Controllers by the signal that aborts them. */
const linked = new WeakMap<AbortSignal, Set<AbortController>>()

/** A controller that a second signal aborts too, until it is unlinked. */
export type LinkedAbort = { readonly controller: AbortController; readonly unlink: () => void }

/**
 * Links a new controller to a signal that lives as long as the process, such as that of a stop. All controllers of a signal share one
 * listener: `AbortSignal.any` would cost each poll and each attempt of a job 10 µs. Unlink it, or it is never collected.
 */
export function linkAbort(signal: AbortSignal): LinkedAbort {
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  const others = controllersOf(signal).add(controller)
  return { controller, unlink: () => void others.delete(controller) }
}

function controllersOf(signal: AbortSignal): Set<AbortController> {
  const known = linked.get(signal)
  if (known !== undefined) return known
  const controllers = new Set<AbortController>()
  linked.set(signal, controllers)
  signal.addEventListener('abort', () => {
    for (const controller of controllers) controller.abort(signal.reason)
  })
  return controllers
}
