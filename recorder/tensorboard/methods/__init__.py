"""The methods of SummaryWriter, by what they record."""
