import { ScreenTitle } from '../../ui/panel.tsx'
import { Erasures } from './erasures.tsx'

/** What was erased on request, with the receipts that prove it. */
export function PrivacyScreen() {
  return (
    <>
      <ScreenTitle title="Privacy">What was erased on request, and the receipts that prove it.</ScreenTitle>
      <Erasures />
    </>
  )
}
