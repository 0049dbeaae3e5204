"""Who a person is: names, companies, addresses, and what files say of earlier contact."""
