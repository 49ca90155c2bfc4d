import { ScreenTitle } from '../../ui/panel.tsx'

export function TimeScreen() {
  return <ScreenTitle title="Time">Nothing here yet.</ScreenTitle>
}
