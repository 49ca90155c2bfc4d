const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A duration in words. Events that one commit stored have the same instant, so it can be 0. */
export function durationInWords(ms: number): string {
  if (ms < 1) return 'less than 1 ms'
  if (ms < secondMs) return `${Math.round(ms)} ms`
  if (ms < minuteMs) return `${(ms / secondMs).toFixed(1)} s`
  if (ms < hourMs) return `${Math.round(ms / minuteMs)} min`
  if (ms < dayMs) return twoUnits(ms, [hourMs, 'h'], [minuteMs, 'min'])
  return twoUnits(ms, [dayMs, 'd'], [hourMs, 'h'])
}

type Unit = readonly [ms: number, name: string]

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const smalls = Math.round(ms / small)
  const perLarge = large / small
  const rest = smalls % perLarge
  return `${Math.floor(smalls / perLarge)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}
