shop --simulate > scripts/out.json
