import { useEffect, useState } from 'react'
import { useConnection } from './live.ts'
import { lastAnswerAt } from './recorded-calls.ts'

/** A short break of the stream is no news. */
const graceMs = 2_000

/** Says that the server does not answer, and how old the shown data is. */
export function ServerBanner() {
  const connection = useConnection()
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (connection !== 'lost') return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [connection])
  const age = now - lastAnswerAt()
  if (connection !== 'lost' || age < graceMs) return null
  const at = new Date(lastAnswerAt()).toLocaleTimeString()
  return (
    <p role="alert" className="mb-4 rounded-md border border-bad bg-raised px-4 py-2 text-bad">
      The server does not answer. What you see is from {at}, {inWords(age)} ago. It is refreshed as soon as the server
      answers again.
    </p>
  )
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const minutes = Math.round(seconds / 60)
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}
