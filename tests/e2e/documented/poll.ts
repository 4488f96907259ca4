async function waitForDiscussion(promptId: string, pollIntervalMs = 30000) {
  while (true) {
    const response = await fetch(`https://witan.example/api/discussion/${promptId}`)
    const { ready, collectedContext, status } = await response.json()
    
    if (ready) {
      return { collectedContext, status }
    }
    
    await new Promise(resolve => setTimeout(resolve, pollIntervalMs))
  }
}

// Usage
const { collectedContext, status } = await waitForDiscussion(promptId)

// Now proceed with collected context
console.log('Responses collected:', collectedContext)
// Execute task with enriched context
