/** The subscription that every queue begins with, and that is meant where none is named. */
export const mainSubscription = 'main'
